"""Do two versions agree? Recording, replaying, comparing and reporting."""
