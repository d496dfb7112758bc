"""Reports of a verification or a conversion: one document, and the formats that are made of it."""
