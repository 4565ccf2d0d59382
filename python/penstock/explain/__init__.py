"""What `penstock explain` tells of a scheme or conditioner."""
