# Errors over the number of friction directions (004 Fig. 5.11), of what sweep --convergence prints.
set terminal svg size 560, 420 font "sans,12" background "white"
set output out
set logscale xy
set xlabel "friction directions"
set ylabel "error after 6 s [cm]"
set xrange [3:90]
set yrange [0.003:2]
set xtics (4, 8, 16, 32, 64)
rows(field) = "< awk '$1 == \"field\" { on = $3 == ".field." } on && $1 ~ /^[0-9]/' out/directions.txt"
plot rows("3") using (1/$1):2 with linespoints pointtype 7 title "centrifuge", \
  rows("6") using (1/$1):2 with linespoints pointtype 5 title "scaled circle", \
  rows("5") using (1/$1):2 with linespoints pointtype 9 title "circle"
