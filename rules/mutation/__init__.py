"""In-place updates: elements, attributes, methods, arguments, `out=`."""
