// Figures as PDF: gnuplot writes it. Its sizes are inches.
#include "draw/image_format.h"

static void write_terminal(ts_image_size size, FILE *out)
{
  static const double pixels_an_inch = 96.0;
  fprintf(out, "pdfcairo noenhanced size %.4fin,%.4fin font 'sans,10'", size.width / pixels_an_inch,
          size.height / pixels_an_inch);
}

const ts_image_format ts_image_pdf = {
    .suffix = ".pdf", .summary = "PDF: for printing", .write_terminal = write_terminal};
