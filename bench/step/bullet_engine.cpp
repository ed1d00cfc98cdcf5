#include "bullet_contacts.h"
#include "bullet_convert.h"
#include "engine.h"

#include <btBulletDynamicsCommon.h>
#include <cmath>
#include <memory>
#include <utility>
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
  std::vector<std::unique_ptr<btDefaultMotionState>> motions; // of obstacles that move
  std::vector<std::unique_ptr<btRigidBody>> bodies;           // planes and obstacles first
  std::vector<std::unique_ptr<btTypedConstraint>> links;
  btDiscreteDynamicsWorld world{&dispatcher, &broad_phase, &solver, &configuration};
  const scene *described;
  int steps = 0;                  // taken
  std::vector<btVector3> centres; // of the bodies at the start of a step that is watched

  explicit bullet_world(const scene *s);
  ~bullet_world();
  btRigidBody *add(std::unique_ptr<btCollisionShape> shape, btScalar mass, const btVector3 &inertia,
                   const btTransform &place);
  void add_obstacle(int number);
  void add_dynamic(int number);
  void add_link(int number);
  void move_obstacles();
  ts_vec3 arm_of(int number, const btVector3 &point) const;
  btRigidBody *dynamic(int number) const
  {
    return bodies[static_cast<size_t>(described->plane_count + described->obstacle_count + number)].get();
  }
};

std::unique_ptr<btCollisionShape> shape_of(const scene_body &body)
{
  switch (body.shape) {
  case BODY_BOX:
    return std::make_unique<btBoxShape>(to_bullet(body.size) * 0.5);
  case BODY_CAPSULE:
    return std::make_unique<btCapsuleShapeZ>(body.radius, body.length);
  case BODY_CYLINDER:
    return std::make_unique<btCylinderShapeZ>(btVector3(body.radius, body.radius, 0.5 * body.length));
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

// What moves takes its pose from a motion state, and its velocity from the last one. Every body has its number in the
// scene, or as engine_contact has it.
void bullet_world::add_obstacle(int number)
{
  const scene_obstacle &o = described->obstacles[number];
  btRigidBody *added =
      add(std::make_unique<btBoxShape>(to_bullet(o.size) * 0.5), 0.0, btVector3(0.0, 0.0, 0.0), to_bullet(o.pose));
  added->setUserIndex(ENGINE_OBSTACLE - number);
  if (!scene_obstacle_moves(&o)) return;
  motions.push_back(std::make_unique<btDefaultMotionState>(to_bullet(o.pose)));
  added->setMotionState(motions.back().get());
  added->setCollisionFlags(added->getCollisionFlags() | btCollisionObject::CF_KINEMATIC_OBJECT);
}

void bullet_world::move_obstacles()
{
  for (int i = 0; i < described->obstacle_count; ++i) {
    btMotionState *motion = bodies[static_cast<size_t>(described->plane_count + i)]->getMotionState();
    if (motion)
      motion->setWorldTransform(to_bullet(scene_obstacle_pose(&described->obstacles[i], steps * described->step_size)));
  }
}

ts_vec3 bullet_world::arm_of(int number, const btVector3 &point) const
{
  if (number == ENGINE_PLANE) return ts_vec3{0.0, 0.0, 0.0};
  return from_bullet(point - (number >= 0 ? centres[static_cast<size_t>(number)]
                                          : to_bullet(described->obstacles[ENGINE_OBSTACLE - number].pivot)));
}

void bullet_world::add_dynamic(int number)
{
  const scene_body &body = described->bodies[number];
  btRigidBody *added = add(shape_of(body), body.mass, to_bullet(scene_body_inertia(&body)), to_bullet(body.pose));
  added->setUserIndex(number);
  added->setLinearVelocity(to_bullet(body.velocity));
  added->setAngularVelocity(to_bullet(body.turning));
  if (body.guided) { // along an axis of the world: locking the others is exact
    added->setLinearFactor(to_bullet(body.guide));
    added->setAngularFactor(0.0);
  }
}

// To the body before it
void bullet_world::add_link(int number)
{
  btRigidBody *child = dynamic(number), *parent = dynamic(number - 1);
  const btVector3 at = to_bullet(described->bodies[number].hinge);
  links.push_back(std::make_unique<btPoint2PointConstraint>(*child, *parent, child->getWorldTransform().inverse() * at,
                                                            parent->getWorldTransform().inverse() * at));
  world.addConstraint(links.back().get(), true);
}

bullet_world::bullet_world(const scene *s) : described(s)
{
  world.setGravity(btVector3(0.0, 0.0, -s->gravity));
  for (int i = 0; i < s->plane_count; ++i)
    add(std::make_unique<btStaticPlaneShape>(to_bullet(s->planes[i].normal), s->planes[i].offset), 0.0,
        btVector3(0.0, 0.0, 0.0), btTransform::getIdentity())
        ->setUserIndex(ENGINE_PLANE);
  for (int i = 0; i < s->obstacle_count; ++i) add_obstacle(i);
  for (int i = 0; i < s->body_count; ++i) {
    add_dynamic(i);
    if (s->bodies[i].linked) add_link(i);
  }
}

bullet_world::~bullet_world()
{
  for (auto &link : links) world.removeConstraint(link.get());
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
    if (f.x != 0.0 || f.y != 0.0 || f.z != 0.0) w->dynamic(i)->applyCentralForce(to_bullet(f));
  }
  w->move_obstacles();
  w->world.stepSimulation(s->step_size, 0);
  ++w->steps;
}

void state(void *opaque, int body, ts_pose *pose, ts_twist *velocity)
{
  const bullet_world *w = static_cast<bullet_world *>(opaque);
  const btRigidBody &b = *w->dynamic(body);
  *pose = from_bullet(b.getWorldTransform());
  *velocity = ts_twist{from_bullet(b.getLinearVelocity()), from_bullet(b.getAngularVelocity())};
}

int contact_count(void *opaque)
{
  return count_contacts(static_cast<bullet_world *>(opaque)->dispatcher);
}

// Bullet's normals point from its second body to its first one; friction acts along the directions it keeps.
engine_contact contact_of(const bullet_world &w, const btPersistentManifold &manifold, const btManifoldPoint &p)
{
  btVector3 normal = p.m_normalWorldOnB;
  btVector3 impulse = normal * p.m_appliedImpulse + p.m_lateralFrictionDir1 * p.m_appliedImpulseLateral1 +
                      p.m_lateralFrictionDir2 * p.m_appliedImpulseLateral2;
  int first = manifold.getBody0()->getUserIndex(), second = manifold.getBody1()->getUserIndex();
  if (first < 0) {
    std::swap(first, second);
    normal = -normal;
    impulse = -impulse;
  }
  const btVector3 point = (p.getPositionWorldOnA() + p.getPositionWorldOnB()) * 0.5;
  return engine_contact{first,
                        second,
                        w.arm_of(first, point),
                        w.arm_of(second, point),
                        from_bullet(normal),
                        from_bullet(impulse),
                        p.getDistance()};
}

void watch(void *opaque)
{
  bullet_world *w = static_cast<bullet_world *>(opaque);
  w->centres.resize(static_cast<size_t>(w->described->body_count));
  for (int i = 0; i < w->described->body_count; ++i)
    w->centres[static_cast<size_t>(i)] = w->dynamic(i)->getWorldTransform().getOrigin();
}

int contacts(void *opaque, engine_contact *list, int room)
{
  bullet_world *w = static_cast<bullet_world *>(opaque);
  int count = 0;
  for (int i = 0; i < w->dispatcher.getNumManifolds(); ++i) {
    const btPersistentManifold &manifold = *w->dispatcher.getManifoldByIndexInternal(i);
    for (int k = 0; k < manifold.getNumContacts(); ++k, ++count)
      if (count < room) list[count] = contact_of(*w, manifold, manifold.getContactPoint(k));
  }
  return count;
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
                              true,
                              create,
                              step,
                              state,
                              contact_count,
                              nullptr,
                              destroy,
                              watch,
                              contacts,
                              nullptr};
  return i == 0 ? &only : nullptr;
}
