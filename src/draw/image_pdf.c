// Figures as PDF: gnuplot writes it. Its sizes are inches.
#include "draw/image_format.h"

static void write_terminal(ts_image_size size, FILE *out)
{
  static const double PIXELS_AN_INCH = 96.0;
  fprintf(out, "pdfcairo noenhanced size %.4fin,%.4fin font 'sans,10'", size.width / PIXELS_AN_INCH,
          size.height / PIXELS_AN_INCH);
}

const ts_image_format ts_image_pdf = {
    .suffix = ".pdf", .summary = "PDF: for printing", .write_terminal = write_terminal};
