// Contact points of a Bullet world.
#ifndef BENCH_STEP_BULLET_CONTACTS_H
#define BENCH_STEP_BULLET_CONTACTS_H

#include <BulletCollision/CollisionDispatch/btCollisionDispatcher.h>

inline int count_contacts(btCollisionDispatcher &dispatcher)
{
  int count = 0;
  for (int i = 0; i < dispatcher.getNumManifolds(); ++i)
    count += dispatcher.getManifoldByIndexInternal(i)->getNumContacts();
  return count;
}

#endif
