# Paths of the three stones. Usage: gnuplot -e "out='throw.out'" plot.gp
set terminal pngcairo size 900,480 font "Sans,12"
set output out."/throw.png"
set datafile separator comma
set datafile columnheaders
set xlabel "x"
set ylabel "z"
set xrange [0:11]
set yrange [0:4.2]
set key top right
set grid lc rgb "#dddddd"
set title "Three stones, speed 10, under g = 9.81"
series = out."/series.csv"
parabola(x, vx, vz) = vz*x/vx - 0.5*9.81*(x/vx)**2
plot series every 4 using "low.x":"low.z" with points pt 6 lc rgb "#1b6ca8" title "30 degrees", \
     series every 4 using "middle.x":"middle.z" with points pt 4 lc rgb "#c0392b" title "45 degrees", \
     series every 4 using "high.x":"high.z" with points pt 8 lc rgb "#2e7d32" title "60 degrees", \
     parabola(x, 8.660254, 5) lc rgb "black" title "parabola", \
     parabola(x, 7.071068, 7.071068) lc rgb "black" notitle, \
     parabola(x, 5, 8.660254) lc rgb "black" notitle
