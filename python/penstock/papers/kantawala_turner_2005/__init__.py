"""A. Kantawala, J. Turner, "Intelligent Packet Discard Policies for Improved TCP Queue Management", 2005."""
