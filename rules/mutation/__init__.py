"""Changes in place: items, attributes, methods, arguments, `out=`."""
