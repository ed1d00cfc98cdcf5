// Bullet's multibody: chains in minimal coordinates by Featherstone's algorithm.
#include "bullet_contacts.h"
#include "bullet_convert.h"
#include "engine.h"

#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <BulletDynamics/Featherstone/btMultiBodyLinkCollider.h>
#include <btBulletDynamicsCommon.h>
#include <cmath>
#include <memory>
#include <vector>

namespace
{

// Declared in the order they depend on each other: what is in the world goes before it.
struct chain_world {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broad_phase;
  btMultiBodyConstraintSolver solver;
  btMultiBodyDynamicsWorld world{&dispatcher, &broad_phase, &solver, &configuration};
  std::vector<std::unique_ptr<btCollisionShape>> shapes;
  std::vector<std::unique_ptr<btRigidBody>> planes;
  std::vector<std::unique_ptr<btMultiBodyLinkCollider>> colliders;
  std::unique_ptr<btMultiBody> chain;
  std::vector<ts_twist> twists;
  const scene *described;

  explicit chain_world(const scene *s);
  ~chain_world();
  void add_plane(const scene_plane &plane);
  void add_link(int number);
  void read_twists();
};

// Friction and restitution of a pair are products of both, so each has the root.
template <class object> void set_surface(object &added, const scene *s)
{
  added.setFriction(std::sqrt(s->friction));
  added.setRestitution(std::sqrt(s->restitution));
}

void chain_world::add_plane(const scene_plane &plane)
{
  shapes.push_back(std::make_unique<btStaticPlaneShape>(to_bullet(plane.normal), plane.offset));
  const btRigidBody::btRigidBodyConstructionInfo info(0.0, nullptr, shapes.back().get());
  planes.push_back(std::make_unique<btRigidBody>(info));
  set_surface(*planes.back(), described);
  world.addRigidBody(planes.back().get());
}

// Bodies of chains begin with the orientation of the world. The base is a point of the world at the first hinge.
void chain_world::add_link(int number)
{
  const scene_body &body = described->bodies[number];
  const btVector3 hinge = to_bullet(body.hinge), centre = to_bullet(body.pose.position);
  const btVector3 parent =
      number > 0 ? to_bullet(described->bodies[number - 1].pose.position) : to_bullet(described->bodies[0].hinge);
  chain->setupRevolute(number, body.mass, to_bullet(scene_body_inertia(&body)), number - 1, btQuaternion::getIdentity(),
                       to_bullet(body.axis), hinge - parent, centre - hinge, true);
}

chain_world::chain_world(const scene *s) : twists(static_cast<size_t>(s->body_count)), described(s)
{
  world.setGravity(btVector3(0.0, 0.0, -s->gravity));
  for (int i = 0; i < s->plane_count; ++i) add_plane(s->planes[i]);
  chain = std::make_unique<btMultiBody>(s->body_count, 1.0, btVector3(1.0, 1.0, 1.0), true, false);
  chain->setBaseWorldTransform(btTransform(btQuaternion::getIdentity(), to_bullet(s->bodies[0].hinge)));
  for (int i = 0; i < s->body_count; ++i) add_link(i);
  chain->finalizeMultiDof();
  for (int i = 0; i < s->body_count; ++i) chain->setJointVel(i, scene_hinge_rate(s, i));
  chain->setHasSelfCollision(true);
  chain->setCanSleep(false);
  chain->setLinearDamping(0.0);
  chain->setAngularDamping(0.0);
  world.addMultiBody(chain.get());
  for (int i = 0; i < s->body_count; ++i) {
    shapes.push_back(std::make_unique<btSphereShape>(s->bodies[i].radius));
    colliders.push_back(std::make_unique<btMultiBodyLinkCollider>(chain.get(), i));
    btMultiBodyLinkCollider *collider = colliders.back().get();
    collider->setCollisionShape(shapes.back().get());
    collider->setWorldTransform(to_bullet(s->bodies[i].pose));
    set_surface(*collider, s);
    world.addCollisionObject(collider, btBroadphaseProxy::DefaultFilter, btBroadphaseProxy::AllFilter);
    chain->getLink(i).m_collider = collider;
  }
  world.forwardKinematics();
}

chain_world::~chain_world()
{
  for (auto &collider : colliders) world.removeCollisionObject(collider.get());
  world.removeMultiBody(chain.get());
  for (auto &plane : planes) world.removeRigidBody(plane.get());
}

// From link to link: w = w_parent + axis rate, velocities of the hinge and of the centre. Axes stay along the first
// one.
void chain_world::read_twists()
{
  btVector3 turning(0.0, 0.0, 0.0), velocity(0.0, 0.0, 0.0), centre = to_bullet(described->bodies[0].hinge);
  for (int i = 0; i < described->body_count; ++i) {
    const btTransform &place = chain->getLink(i).m_cachedWorldTransform;
    const btVector3 arm = place.getBasis() * to_bullet(described->bodies[i].pose.position) -
                          place.getBasis() * to_bullet(described->bodies[i].hinge);
    velocity += turning.cross(place.getOrigin() - arm - centre);
    turning += to_bullet(described->bodies[i].axis) * chain->getJointVel(i);
    velocity += turning.cross(arm);
    centre = place.getOrigin();
    twists[static_cast<size_t>(i)] = ts_twist{from_bullet(velocity), from_bullet(turning)};
  }
}

void *create(const scene *s, int)
{
  return new chain_world(s);
}

void step(void *opaque)
{
  chain_world *w = static_cast<chain_world *>(opaque);
  w->world.stepSimulation(w->described->step_size, 0);
}

void state(void *opaque, int body, ts_pose *pose, ts_twist *velocity)
{
  chain_world *w = static_cast<chain_world *>(opaque);
  if (body == 0) w->read_twists();
  *pose = from_bullet(w->chain->getLink(body).m_cachedWorldTransform);
  *velocity = w->twists[static_cast<size_t>(body)];
}

int contact_count(void *opaque)
{
  return count_contacts(static_cast<chain_world *>(opaque)->dispatcher);
}

void destroy(void *opaque)
{
  delete static_cast<chain_world *>(opaque);
}

} // namespace

extern "C" const engine *bullet_chain_engine(int i)
{
  static const engine only = {"bullet multibody",
                              "Bullet, btMultiBody: its defaults, sequential impulses, 10 iterations, no damping",
                              0,
                              1000,
                              false,
                              create,
                              step,
                              state,
                              contact_count,
                              nullptr,
                              destroy,
                              nullptr,
                              nullptr,
                              nullptr};
  return i == 0 ? &only : nullptr;
}
