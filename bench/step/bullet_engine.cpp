#include "bullet_contacts.h"
#include "bullet_convert.h"
#include "engine.h"

#include <btBulletDynamicsCommon.h>
#include <cmath>
#include <memory>
#include <vector>

namespace
{

// Declared in the order they depend on each other: bodies go before the world they are in, and shapes last.
struct bullet_world {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broad_phase;
  btSequentialImpulseConstraintSolver solver;
  std::vector<std::unique_ptr<btCollisionShape>> shapes;
  std::vector<std::unique_ptr<btRigidBody>> bodies; // planes first
  btDiscreteDynamicsWorld world{&dispatcher, &broad_phase, &solver, &configuration};
  const scene *described;

  explicit bullet_world(const scene *s);
  ~bullet_world();
  btRigidBody *add(std::unique_ptr<btCollisionShape> shape, btScalar mass, const btVector3 &inertia,
                   const btTransform &place);
  void add_dynamic(const scene_body &body);
};

std::unique_ptr<btCollisionShape> shape_of(const scene_body &body)
{
  switch (body.shape) {
  case BODY_BOX:
    return std::make_unique<btBoxShape>(to_bullet(body.size) * 0.5);
  case BODY_CAPSULE:
    return std::make_unique<btCapsuleShapeZ>(body.radius, body.length);
  default:
    return std::make_unique<btSphereShape>(body.radius);
  }
}

// Friction of a pair is the product of both, so each has the root. Bodies never go to sleep: a step must do its work.
btRigidBody *bullet_world::add(std::unique_ptr<btCollisionShape> shape, btScalar mass, const btVector3 &inertia,
                               const btTransform &place)
{
  btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shape.get(), inertia);
  info.m_startWorldTransform = place;
  info.m_friction = std::sqrt(described->friction);
  auto body = std::make_unique<btRigidBody>(info);
  body->setActivationState(DISABLE_DEACTIVATION);
  world.addRigidBody(body.get());
  shapes.push_back(std::move(shape));
  bodies.push_back(std::move(body));
  return bodies.back().get();
}

void bullet_world::add_dynamic(const scene_body &body)
{
  btRigidBody *added = add(shape_of(body), body.mass, to_bullet(scene_body_inertia(&body)), to_bullet(body.pose));
  added->setLinearVelocity(to_bullet(body.velocity));
  if (body.guided) { // along an axis of the world: locking the others is exact
    added->setLinearFactor(to_bullet(body.guide));
    added->setAngularFactor(0.0);
  }
}

bullet_world::bullet_world(const scene *s) : described(s)
{
  world.setGravity(btVector3(0.0, 0.0, -s->gravity));
  for (int i = 0; i < s->plane_count; ++i)
    add(std::make_unique<btStaticPlaneShape>(to_bullet(s->planes[i].normal), s->planes[i].offset), 0.0,
        btVector3(0.0, 0.0, 0.0), btTransform::getIdentity());
  for (int i = 0; i < s->body_count; ++i) add_dynamic(s->bodies[i]);
}

bullet_world::~bullet_world()
{
  for (auto &body : bodies) world.removeRigidBody(body.get());
}

void *create(const scene *s, int)
{
  return new bullet_world(s);
}

void step(void *opaque)
{
  bullet_world *w = static_cast<bullet_world *>(opaque);
  const scene *s = w->described;
  for (int i = 0; i < s->body_count; ++i) {
    const ts_vec3 &f = s->bodies[i].force;
    if (f.x != 0.0 || f.y != 0.0 || f.z != 0.0)
      w->bodies[static_cast<size_t>(s->plane_count + i)]->applyCentralForce(to_bullet(f));
  }
  w->world.stepSimulation(s->step_size, 0);
}

void state(void *opaque, int body, ts_pose *pose, ts_twist *velocity)
{
  const bullet_world *w = static_cast<bullet_world *>(opaque);
  const btRigidBody &b = *w->bodies[static_cast<size_t>(w->described->plane_count + body)];
  *pose = from_bullet(b.getWorldTransform());
  *velocity = ts_twist{from_bullet(b.getLinearVelocity()), from_bullet(b.getAngularVelocity())};
}

int contact_count(void *opaque)
{
  return count_contacts(static_cast<bullet_world *>(opaque)->dispatcher);
}

void destroy(void *opaque)
{
  delete static_cast<bullet_world *>(opaque);
}

} // namespace

extern "C" const engine *bullet_engine(int i)
{
  static const engine only = {"bullet default",
                              sizeof(btScalar) == sizeof(double)
                                  ? "Bullet, double: its defaults, sequential impulses, 10 iterations, split impulse"
                                  : "Bullet, float: its defaults, sequential impulses, 10 iterations, split impulse",
                              0,
                              0,
                              create,
                              step,
                              state,
                              contact_count,
                              nullptr,
                              destroy};
  return i == 0 ? &only : nullptr;
}
