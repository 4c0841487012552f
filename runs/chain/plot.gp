# The last disc of the chain against time, whole and enlarged, with the damped sine of the theory.
# Usage: gnuplot -e "out='chain.out'; kind='png'" plot.gp
load out."/curve.gp"
if (kind eq "png") { set terminal pngcairo size 900,720 font "Sans,12" } else { set terminal svg size 900,720 font "Sans,12" }
set output out."/chain.".kind
set datafile separator comma
set datafile columnheaders
set grid lc rgb "#dddddd"
set samples 4000
set lmargin 10
curve(t) = x0 + a*exp(-(t-from)/tau)*sin(omega*(t-from)+phase)
start = from - 1.7*tau
set multiplot layout 2,1 title "Fifty rigid discs hit a wall: N_I = 40 sweeps per step make them a damped spring"
set ylabel "last disc / diameter"
set key top right
set xrange [0:600]
plot out."/figure/series.csv" using "time":"tip.x" with points pt 7 ps 0.4 lc rgb "#1b6ca8" title "computed", \
     (x > start ? curve(x) : 1/0) with lines lw 1.5 lc rgb "#c0392b" title "theory"
set xlabel "time / step"
set xrange [start:start+4.5*tau]
set yrange [x0-6*a:x0+8*a]
plot out."/figure/series.csv" using "time":"tip.x" with points pt 7 ps 0.5 lc rgb "#1b6ca8" title "the same, enlarged", \
     curve(x) with lines lw 1.5 lc rgb "#c0392b" \
       title sprintf("omega = %.4f, tau = %.1f from the theory; offset, amplitude and phase fitted", omega, tau)
unset multiplot
