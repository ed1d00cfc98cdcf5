// The program of a layer: all test files of a folder in one, so that the library is linked once for them. A test is
// chosen by the name that the program is called by (tests/CMakeLists.txt links each test's name to it), or by the first
// argument: tests_math test_dense [ARGUMENT].
#include <stdio.h>
#include <string.h>

#define TEST(name) int name(int argc, char **argv);
#include TEST_TABLE
#undef TEST

static const struct {
  const char *name;
  int (*run)(int argc, char **argv);
} tests[] = {
#define TEST(name) {#name, name},
#include TEST_TABLE
#undef TEST
};

enum { TEST_COUNT = sizeof tests / sizeof tests[0] };

static int find_test(const char *path)
{
  const char *slash = strrchr(path, '/');
  const char *name = slash ? slash + 1 : path;
  int i = 0;
  while (i < TEST_COUNT && strcmp(tests[i].name, name) != 0) ++i;
  return i;
}

int main(int argc, char **argv)
{
  for (int k = 0; k < argc && k < 2; ++k) {
    const int i = find_test(argv[k]);
    if (i < TEST_COUNT) return tests[i].run(argc - k, argv + k);
  }
  fprintf(stderr, "usage: %s TEST [ARGUMENT], where TEST is one of\n", argc > 0 ? argv[0] : "tests");
  for (int i = 0; i < TEST_COUNT; ++i) fprintf(stderr, "  %s\n", tests[i].name);
  return 2;
}
