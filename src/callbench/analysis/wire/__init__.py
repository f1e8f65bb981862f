"""What the bytes of a call were for, from the packets that were counted."""
