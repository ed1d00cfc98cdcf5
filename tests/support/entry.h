// Included ahead of every test file that is part of a layer's program (tests/runner.c): main() of the file gets the
// file's own name, which the build gives as TEST_ENTRY, and arguments whether it declares them or not.
#ifdef TEST_ENTRY
#define main(...) TEST_ENTRY(__attribute__((unused)) int argc, __attribute__((unused)) char **argv)
#endif
