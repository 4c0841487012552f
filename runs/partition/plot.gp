# Discs coloured by rank, before and after. Usage: gnuplot -e "out='partition.out'; kind='png'; width=13.5" plot.gp
if (kind eq "png") { set terminal pngcairo size 640,800 font "Sans,10" } else { set terminal svg size 1000,1240 font "Sans,10" }
set output out."/partition.".kind
set size ratio -1
set xrange [0:120]
set yrange [0:74]
set palette defined (0 "#1b6ca8", 1 "#e8a33d", 2 "#2e8b57", 3 "#c0392b", 4 "#7d5ba6", 5 "#8c8c8c", 6 "#16a2a2", 7 "#d977a8", 8 "#000000")
set cbrange [0:8]
unset colorbox
set style fill solid 1.0 noborder
set xtics width format "%.0f"
set ytics width format "%.0f"
set grid front lc rgb "#666666" lw 0.6 lt 1
set multiplot layout 2,1 title "Three thousand discs on ranks: the colour is the rank, the lines are the tiles"
set title "at the start"
plot out."/start.txt" using 2:3:(0.45):4 with circles lc palette notitle
set title "slid to one side, tiles distributed anew"
plot out."/end.txt" using 2:3:(0.45):4 with circles lc palette notitle
unset multiplot
