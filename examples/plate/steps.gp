# Errors over the size of steps (004 Figs. 5.9 and 5.10), of what sweep --convergence prints.
set terminal svg size 560, 420 font "sans,12" background "white"
set output out
set logscale xy
set format "10^{%L}"
set xlabel "step [s]"
set ylabel "error after 6 s [cm]"
set key top left
rows(file) = "< awk '$1 ~ /^[0-9]/' out/".file.".txt"
plot rows("steps") using 1:2 with linespoints pointtype 7 title "velocity at the end", \
  rows("secants") using 1:2 with linespoints pointtype 5 title "secants", 1e4*x with lines dashtype 2 linecolor "grey" title "order 1"
