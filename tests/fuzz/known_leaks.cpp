// UDUNITS-2 leaves the text of a word behind where a unit is refused.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:utlex\n"; }
