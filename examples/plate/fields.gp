# Mean velocities of particles on the plate (004 Fig. 5.6), a small picture a field; the longest arrow of each is 1.8 cm long.
names = "source sink centrifuge whirlpool circle scaled_circle circle_learned saddle saddle_learned line_sink line_source shear trans"
set terminal svg size 1100, 700 font "sans,11" background "white"
set output out
set datafile separator ","
table = "out/fields.csv"
set multiplot layout 3, 5
set size ratio -1
set xrange [-9:9]
set yrange [-9:9]
set tics -5, 5, 5 nomirror
unset key
do for [k = 1:13] {
  stats table using (column("field") == k ? sqrt(column("vx")**2 + column("vy")**2) : NaN) nooutput
  set title sprintf("%s, %.2g cm/s", word(names, k), STATS_max) noenhanced
  plot table using (column("field") == k ? column("xp") : NaN):"yp":(1.8*column("vx")/STATS_max):(1.8*column("vy")/STATS_max) \
    with vectors head size 0.35, 25 linecolor "#1f5a99"
}
unset multiplot
