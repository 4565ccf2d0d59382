# PSAND made of ns-2's RED on topology A of Alemu's thesis: ns psand.tcl COEF GAMMA HIGH MIN MAX FLOWS DELAYED SEED [Floyd]
# max_p is moved every 0.5 s through `cur_max_p_`, so that the ramp above Max stays where max_p first put it. Min 0 is to be
# given as 0.000001: ns-2 takes 0 for "automatic". With Floyd the scheme is ns-2's own adaptive RED. DELAYED is 1 for
# receivers that wait 100 ms for a second packet. Prints mean and variance of samples of the queue every 10 ms, losses
# and empty samples in percent; 100 s.
lassign $argv coef gamma high min max flows delayed seed scheme
set adaptive [expr {$scheme eq "Floyd"}]
set start 3.5
source [file join [file dirname [info script]] thesis.tcl]
source [file join [file dirname [info script]] moves.tcl]
if {$scheme eq "PSAND" || $scheme eq ""} {$ns at 0.5 adapt}
proc finish {} {
    global samples sum squares empty monitor
    set m [expr {$sum/$samples}]
    puts [format "%.3f %.2f %.3f %.2f" $m [expr {$squares/$samples-$m*$m}] [expr {100.0*[$monitor set pdrops_]/[$monitor set parrivals_]}] [expr {100.0*$empty/$samples}]]
    exit 0
}
$ns at 100 finish
$ns run
