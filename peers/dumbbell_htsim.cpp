// The workload w2 of peers/bench.py in htsim (github.com/Broadcom/csg-htsim): dumbbell_htsim w2 SECONDS
// Prints "packets arrivals drops utilization" of the bottleneck in the data direction. To build it, after `make` in the
// folder sim of htsim:
//     c++ -O3 -std=c++11 -I HTSIM/sim -o dumbbell_htsim peers/dumbbell_htsim.cpp -L HTSIM/sim -lhtsim
//
// htsim's TCP is NewReno without SACK, and its packets have one size, headers included. It has no RED.

#include "config.h"

#include "eventlist.h"
#include "network.h"
#include "pipe.h"
#include "queue.h"
#include "route.h"
#include "tcp.h"

#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

namespace
{
const int FLOWS = 100;
const int PACKET_BYTES = 1500;
const int WINDOW_PACKETS = 500;
const linkspeed_bps ACCESS = 10000000;
const linkspeed_bps RATE = 500000000;
const mem_b LIMIT_PACKETS = 1000;
// A queue that never drops.
const mem_b ENDLESS = 1000000000;

class Bottleneck : public Queue
{
public:
    explicit Bottleneck(EventList& events) : Queue(RATE, LIMIT_PACKETS * PACKET_BYTES, events, nullptr) {}

    uint64_t departures = 0;
    uint64_t bytes = 0;

    uint64_t arrivals() { return departures + num_drops() + _enqueued.size(); }

protected:
    void completeService() override
    {
        ++departures;
        bytes += _enqueued.back()->size();
        Queue::completeService();
    }
};
} // namespace

int main(int argc, char* argv[])
{
    if (argc != 3 || std::string(argv[1]) != "w2")
    {
        std::cerr << "dumbbell_htsim w2 SECONDS\n";
        return 2;
    }
    const double seconds = std::stod(argv[2]);
    EventList events;
    events.setEndtime(timeFromSec(seconds));
    Packet::set_packet_size(PACKET_BYTES);

    Bottleneck bottleneck(events);
    Queue way_back(RATE, ENDLESS, events, nullptr);
    Pipe there(timeFromMs(5), events), back(timeFromMs(5), events);
    Pipe near_there(timeFromMs(15), events), near_back(timeFromMs(15), events);
    Pipe far_there(timeFromMs(95), events), far_back(timeFromMs(95), events);
    TcpRtxTimerScanner timers(timeFromMs(10), events);

    for (int i = 0; i < FLOWS; ++i)
    {
        const bool near = i < FLOWS / 2;
        TcpSrc* source = new TcpSrc(nullptr, nullptr, events);
        TcpSink* sink = new TcpSink();
        source->_maxcwnd = WINDOW_PACKETS * PACKET_BYTES;
        source->set_cwnd(2 * PACKET_BYTES);
        source->set_ssthresh(source->_maxcwnd);
        timers.registerTcp(*source);

        Route* data = new Route();
        data->push_back(new Queue(ACCESS, ENDLESS, events, nullptr));
        data->push_back(near ? &near_there : &far_there);
        data->push_back(&bottleneck);
        data->push_back(&there);
        data->push_back(sink);
        Route* acks = new Route();
        acks->push_back(&way_back);
        acks->push_back(&back);
        acks->push_back(new Queue(ACCESS, ENDLESS, events, nullptr));
        acks->push_back(near ? &near_back : &far_back);
        acks->push_back(source);
        source->connect(*data, *acks, *sink, timeFromMs(10 * i));
    }
    while (events.doNextEvent())
    {
    }
    std::cout << '\n' << bottleneck.departures << ' ' << bottleneck.arrivals() << ' ' << bottleneck.num_drops() << ' '
              << 8.0 * bottleneck.bytes / (RATE * seconds) << '\n';
    return 0;
}
