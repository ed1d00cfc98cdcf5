#include "contact_cases.h"

#include "case_file.h"

// Blocks from the rows of a dense matrix.
static void set_problem(contact_case *c, int d, int contacts, const double *rows)
{
  const int n = d * contacts;
  for (int i = 0; i <= contacts; ++i) c->start[i] = i * contacts;
  for (int i = 0; i < contacts; ++i)
    for (int j = 0; j < contacts; ++j) {
      c->index[i * contacts + j] = j;
      for (int b = 0; b < d; ++b)
        for (int a = 0; a < d; ++a) c->W[(i * contacts + j) * d * d + b * d + a] = rows[(i * d + a) * n + j * d + b];
    }
  c->problem = (ts_friction){
      .dimension = d, .contacts = contacts, .W = {contacts, d, c->start, c->index, c->W}, .q = c->q, .mu = c->mu};
}

bool contact_cases_next(FILE *file, contact_case *c)
{
  int contacts;
  double rows[CASE_ROWS * CASE_ROWS];
  if (fscanf(file, "%d", &contacts) != 1 || contacts < 1 || contacts > CASE_CONTACTS) return false;
  const int n = 3 * contacts;
  if (!case_file_numbers(file, c->mu, contacts) || !case_file_numbers(file, rows, n * n) ||
      !case_file_numbers(file, c->q, n) || !case_file_numbers(file, c->r, n) || !case_file_numbers(file, c->u, n))
    return false;
  set_problem(c, 3, contacts, rows);
  c->solved = true;
  return true;
}

void contact_case_degenerate(contact_case *c)
{
  static const double rows[36] = {
      0.4013960798273106,     0.17507999549417574,  0.00956450093448066,   0.17046638144783,    0.00023338753088213927,
      0.07484127918200674,    0.17507999549417574,  0.5364285948388559,    0.00418131970300477, 0.4371670147422951,
      0.00010256559199318458, 0.3954620404883976,   0.00956450093448066,   0.00418131970300477, 0.9531622441280194,
      -0.2341774267984196,    0.023247862156638488, 0.23420201135551155,   0.17046638144783,    0.4371670147422951,
      -0.2341774267984196,    0.43996012715593674,  -0.005711144499571982, 0.2816822588696695,  0.00023338753088213927,
      0.00010256559199318458, 0.023247862156638488, -0.005711144499571982, 0.9761767771862809,  -0.23819119625588908,
      0.07484127918200674,    0.3954620404883976,   0.23420201135551155,   0.2816822588696695,  -0.23819119625588908,
      0.4396214584887783};
  static const double q[6] = {-0.03865252810460272,  0.195762273136463,     -0.04867482421493201,
                              0.0005313719562081154, -0.049042049897860596, -0.0018823950953397173};
  for (int i = 0; i < 6; ++i) c->q[i] = q[i];
  for (int i = 0; i < 3; ++i) c->mu[i] = 0.5;
  set_problem(c, 2, 3, rows);
  c->solved = false;
}
