# The queue of $monitor each 10 ms from the first call of sample on: number of samples, sum, sum of squares, and how many
# found nothing waiting.
set samples 0
set sum 0.0
set squares 0.0
set empty 0
proc sample {} {
    global ns monitor samples sum squares empty
    set q [$monitor set pkts_]
    incr samples
    set sum [expr {$sum + $q}]
    set squares [expr {$squares + double($q) * $q}]
    if {$q == 0} {incr empty}
    $ns at [expr {[$ns now] + 0.01}] sample
}
