# What Alemu's thesis claims of topology A: ns thesis_claims.tcl SCHEME WHEN N MIN MAX SEED [NAME VALUE ...]
# SCHEME is RED (gentle), Feng, Floyd, PSAND (ns-2's RED, whose max_p the script moves), PI, REM or AVQ; MIN and MAX are RED's
# thresholds, where 0 is to be given as 0.000001. WHEN is load, N flows from 3.5 s on, measured over 0..100 s; first, the same
# from 0.3 s on; joins, N flows beside the three from 50 s on, measured over 60..100 s; leaves, N flows beside the three
# until 50 s, measured over 50..100 s. NAME and VALUE set coef, gamma and high of PSAND, or base, mean and reverse of
# thesis.tcl. Prints a line for each number, of the queue from samples every 10 ms.
array set options {coef 1.75 gamma 1.5 high 0.75}
array set options [lassign $argv scheme when n min max seed]
foreach name [array names options] {set $name $options($name)}
set delayed 0
set adaptive [expr {$scheme in {Feng Floyd}}]
array set times {load {3.5 0} first {0.3 0} joins {50 60} leaves {0 50}}
lassign $times($when) start warmup
set flows [expr {$when in {joins leaves} ? $n + 3 : $n}]
if {$when eq "leaves"} {set stop 50}
if {$when eq "first"} {set bases {0.0 0.1 0.2}}
array set kinds {PI PI REM REM AVQ Vq}
set kind [expr {[info exists kinds($scheme)] ? $kinds($scheme) : "RED"}]
foreach {name value} {a_ 0.000344519 b_ 0.000343499 qref_ 10 w_ 170 bytes_ false queue_in_bytes_ false mean_pktsize_ 1000} {
    Queue/PI set $name $value
}
foreach {name value} {gamma_ 0.001 phi_ 1.1 pbo_ 10 pupdtime_ 0.002 mean_pktsize_ 1000} {Queue/REM set $name $value}
foreach {name value} {gamma_ 1.0 mean_pktsize_ 1000} {Queue/Vq set $name $value}
source [file join [file dirname [info script]] thesis.tcl]
if {$scheme eq "Feng"} {
    foreach {a b} [list $r1 $r2 $r2 $r1] {
        foreach {name value} {feng_adaptive_ 1 linterm_ 50 alpha_ 3.0 beta_ 2.0} {[[$ns link $a $b] queue] set $name $value}
    }
}
if {$scheme eq "PSAND"} {
    source [file join [file dirname [info script]] moves.tcl]
    $ns at 0.5 adapt
}
array set ranges {p_full {35 35} p_5_15 {6 15} p_25_35 {26 35}}
foreach name [array names ranges] {set within($name) 0}
proc watch {} {
    global ns monitor ranges within
    set q [$monitor set pkts_]
    foreach {name ends} [array get ranges] {
        if {[lindex $ends 0] <= $q && $q <= [lindex $ends 1]} {incr within($name)}
    }
    $ns at [expr {[$ns now] + 0.01}] watch
}
proc begin {} {
    global monitor counts
    foreach what {parrivals_ pdrops_ bdepartures_} {set counts($what) [$monitor set $what]}
}
proc since {what} {
    global monitor counts
    return [expr {double([$monitor set $what]) - $counts($what)}]
}
proc finish {} {
    global samples sum squares empty warmup within
    set mean [expr {$sum / $samples}]
    puts "q_mean $mean"
    puts "q_var [expr {$squares / $samples - $mean * $mean}]"
    puts "p_empty [expr {double($empty) / $samples}]"
    foreach {name number} [array get within] {puts "$name [expr {double($number) / $samples}]"}
    puts "loss [expr {[since pdrops_] / [since parrivals_]}]"
    puts "util [expr {[since bdepartures_] * 8.0 / (1.5e6 * (100 - $warmup))}]"
    exit 0
}
$ns at $warmup begin
foreach what {sample watch} {$ns at [expr {$warmup + 0.01}] $what}
$ns at 100 finish
$ns run
