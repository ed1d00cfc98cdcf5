// Lists of names as somebody writes them.
#ifndef TS_DRAW_NAME_LIST_H
#define TS_DRAW_NAME_LIST_H

// A comma-separated list taken apart, all in one piece of memory: release the result with free(). NULL: memory ran out.
// Blanks around words are dropped, and so are empty words. Commas in parentheses belong to a word.
char **ts_list_split(const char *list, int *count);

#endif
