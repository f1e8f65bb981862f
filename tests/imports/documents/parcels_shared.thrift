struct Address { 1: string street, 2: i16 number }
