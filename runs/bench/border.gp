# The local q around the border of two ranks. Usage: gnuplot -e "out='border.out'; kind='png'" border.gp
if (kind eq "png") { set terminal pngcairo size 900,520 font "Sans,12" } else { set terminal svg size 900,520 font "Sans,12" }
set output out."/border.".kind
set grid lc rgb "#dddddd"
set title "What last-sweep values at a rank border do to the material"
set xlabel "contact, counted from the border of the ranks"
set ylabel "local q"
set xrange [-16.5:15.5]
set yrange [0.6:0.9]
set key bottom right
set arrow from -0.5, graph 0 to -0.5, graph 1 nohead dt 3 lc rgb "#888888"
set label "rank 0" at -1, 0.885 right
set label "rank 1" at 0, 0.885 left
q = (4*sqrt(exp(1)) - 5)/2
plot q with lines lw 1.5 lc rgb "#888888" title "theory, random sweep", \
     out."/random-exact.txt" using ($1-0.13):2:3 with yerrorbars pt 7 ps 0.9 lc rgb "#1b6ca8" title "exchange exact", \
     out."/random-lagged.txt" using ($1+0.13):2:3 with yerrorbars pt 4 ps 1.1 lc rgb "#c0392b" title "exchange lagged"
