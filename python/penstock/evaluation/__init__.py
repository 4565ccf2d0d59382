"""The evaluation of a queue by the scenarios of RFC 7928, against drop-tail and any other schemes."""
