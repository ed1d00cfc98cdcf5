# 003 figure 6: how far the sliding cube of other engines is from the closed form, in percent of the way; the engines are
# those that bench_implicit was built with.
set terminal svg size 900,420 font "sans,13" background "white"
set output "out/cube_slides.engines.svg"
set datafile separator ","
set colorsequence podo
set grid
set key outside right
set title "003's sliding cube, distance from the closed form"
set xlabel "time [s]"
set ylabel "of the way [%]"
set logscale y
set format y "10^{%L}"
set yrange [1e-9:100]
way(t) = 5*t - 0.5*0.12*9.8*t*(t + 0.01)
last = 426*0.01
s(t) = way(t < last ? t : last - 0.01)
error(t, x, y) = 100*sqrt((x - 0.8*s(t))**2 + (y - 0.6*s(t))**2)/s(t)
engines = "'implicit' 'touchstone' 'ode exact' 'ode quick' 'mujoco default' 'mujoco accurate' 'bullet default'"
plot for [k = 1:words(engines)] "out/engines.csv" every ::1 using ($2):(strcol(1) eq word(engines, k) ? error($2, $3, $4) + 1e-12 : NaN) \
  with points pointtype 7 pointsize 0.3 title word(engines, k)
