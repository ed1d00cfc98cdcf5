// A ball on a floor from C++: builds, steps, saves and goes back. 0 when all went well.
#include <touchstone/touchstone.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

int main()
{
  ts_error error{};
  ts_scene *read = nullptr;
  static const char text[] = "touchstone: 1\n"
                             "bodies:\n"
                             "  - {name: floor, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}\n"
                             "  - {name: ball, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.2]}\n";
  if (ts_scene_parse(text, sizeof text - 1, "text", nullptr, 0, &read, &error) != TS_OK) {
    std::printf("%s\n", error.text);
    return 1;
  }
  const std::unique_ptr<ts_scene, void (*)(ts_scene *)> scene(read, ts_scene_destroy);
  ts_sim *made = nullptr;
  if (ts_sim_create(ts_scene_model(read), ts_scene_options(read), nullptr, &made, &error) != TS_OK) return 2;
  const std::unique_ptr<ts_sim, void (*)(ts_sim *)> sim(made, ts_sim_destroy);
  for (int step = 0; step < 500; ++step)
    if (ts_sim_step(sim.get(), &error) != TS_OK || !ts_sim_report(sim.get())->certified) return 3;
  std::vector<double> state(ts_sim_state_size(sim.get()));
  if (ts_sim_save(sim.get(), state.data(), state.size(), &error) != TS_OK) return 4;
  if (ts_sim_load(sim.get(), state.data(), state.size(), &error) != TS_OK) return 5;
  const double z = ts_sim_pose(sim.get(), 1).position.z;
  std::printf("the ball rests at z = %.6f m\n", z);
  return std::fabs(z - 0.1) < 1e-6 ? 0 : 6;
}
