# What the papers' figures show, of the runs in out/. columns of contacts: t 1, body2 3, px py 4 5, fn ft fo 18 19 20, slip 22, patch 24
set terminal svg size 900,640 font "sans,13" background "white"
set datafile separator ","
set colorsequence podo
set grid
set lmargin 14
set key outside right
set rmargin 22

# 003 figure 8: slip, the number of faces that touch, and the equivalent contact point.
set output "out/cube_tips.contact.svg"
set multiplot layout 3,1 title "cube tips from corner to edge to face"
set xrange [0:2]
set ylabel "slip [m/s]"
plot "out/cube_tips.contacts.csv" every ::1 using 1:($18 > 0 ? $22 : NaN) with lines linewidth 2 title "speed"
set ylabel "faces that touch"
set yrange [0.5:3.5]
set ytics 1
plot "out/cube_tips.contacts.csv" every ::1 using 1:($18 > 0 ? 3 - $24 : NaN) with steps linewidth 2 title "N"
set ylabel "contact point [m]"
set xlabel "time [s]"
set yrange [*:*]
set ytics auto
plot "out/cube_tips.contacts.csv" every ::1 using 1:($18 > 0 ? $4 : NaN) with lines linewidth 2 title "a_x", \
     "" every ::1 using 1:($18 > 0 ? $5 : NaN) with lines linewidth 2 title "a_y"
unset multiplot

# 004 figure 3.9: velocity, and at each contact friction against its bound, and the slip.
set output "out/sphere_on_spheres.contact.svg"
set multiplot layout 3,1 title "sphere on two spheres"
set xrange [0:4]
set ylabel "velocity [m/s, rad/s]"
unset xlabel
plot for [k = 9:14] "out/sphere_on_spheres.csv" using 1:k with lines linewidth 2 title word("v_x v_y v_z ω_x ω_y ω_z", k - 8)
do for [body in "ten nine"] {
  set ylabel "ball on ".body." [N, m/s]"
  if (body eq "nine") { set xlabel "time [s]" }
  plot "out/sphere_on_spheres.contacts.csv" every ::1 using 1:(strcol(3) eq body ? $18 : NaN) with points pointtype 7 pointsize 0.2 title "normal force", \
       "" every ::1 using 1:(strcol(3) eq body ? 0.2 * $18 : NaN) with points pointtype 7 pointsize 0.5 title "μ normal force", \
       "" every ::1 using 1:(strcol(3) eq body ? sqrt($19**2 + $20**2 + ($21 / 0.3)**2) : NaN) with points pointtype 7 pointsize 0.2 title "friction", \
       "" every ::1 using 1:(strcol(3) eq body && $18 > 0 ? $22 : NaN) with points pointtype 7 pointsize 0.2 title "slip"
}
unset multiplot
