# PSAND's rule for RED's max_p on both ends of the congested link of thesis.tcl: proc adapt, with $coef, $gamma and $high.
set prev(0) -1; set prev(1) -1
proc adapt {} {
    global ns r1 r2 prev coef gamma high
    foreach i {0 1} ends {{r1 r2} {r2 r1}} {
        set q [[$ns link [set [lindex $ends 0]] [set [lindex $ends 1]]] queue]
        set a [$q set ave_]
        set change [expr {$prev($i) > 1e-9 ? $a / $prev($i) : 1.0}]
        set beta [expr {$coef * pow($a / 10.0 * $change, $gamma)}]
        set p [expr {[$q set cur_max_p_] * $beta}]
        if {$p > $high} {set p $high}
        if {$p < 0.01} {set p 0.01}
        $q set cur_max_p_ $p
        set prev($i) $a
    }
    $ns at [expr {[$ns now] + 0.5}] adapt
}
