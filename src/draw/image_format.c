#include "draw/image_format.h"

#include "draw/file_name.h"

#define TS_IMAGE_FORMATS(X)                                                                                            \
  X(svg)                                                                                                               \
  X(png)                                                                                                               \
  X(pdf)

#define DECLARE(name) extern const ts_image_format ts_image_##name;
TS_IMAGE_FORMATS(DECLARE)
#undef DECLARE

#define ENTRY(name) &ts_image_##name,
static const ts_image_format *const formats[] = {TS_IMAGE_FORMATS(ENTRY)};
#undef ENTRY

int ts_image_format_count(void)
{
  return (int)(sizeof formats / sizeof formats[0]);
}

const ts_image_format *ts_image_format_at(int i)
{
  return formats[i];
}

const ts_image_format *ts_image_format_of(const char *path)
{
  for (int i = 0; i < ts_image_format_count(); ++i)
    if (ts_ends_with(path, formats[i]->suffix)) return formats[i];
  return NULL;
}
