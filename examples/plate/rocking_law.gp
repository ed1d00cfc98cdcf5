# Velocities of particles on the rocking plate and the law of eq. 5.10 (004 Figs. 5.3 to 5.5).
set terminal svg size 900, 420 font "sans,12" background "white"
set output out
set datafile separator ","
table = "out/rocking_law.csv"
mus = "0.2 0.3 0.4"
colors = "#1f5a99 #c0392b #2e7d32"
b(mu, d) = -0.375*mu*180*0.03 + mu**3*9.81**2*0.03/(8*d**2*180)
c(mu, d) = -mu**3*180*0.03/(8*d**2)
set multiplot layout 1, 2
set xrange [0:5]
set yrange [-3.5:0]
set xlabel "r [cm]"
set ylabel "mean velocity [cm/s]"
set key bottom left
do for [depth in "5 2"] {
  set title "axis ".depth." cm below the surface"
  plot for [i = 1:3] 100*(b(word(mus, i), depth/100.)*x/100 + c(word(mus, i), depth/100.)*(x/100)**3) \
      with lines linecolor rgb word(colors, i) title "law, friction ".word(mus, i), \
    for [i = 1:3] table using (column("h") < 2e-5 && column("d") == depth && abs(column("mu") - word(mus, i)) < 1e-6 ? column("r") : NaN):"v" \
      with points pointtype 7 pointsize 0.5 linecolor rgb word(colors, i) notitle
}
unset multiplot
