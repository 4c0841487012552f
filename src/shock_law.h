/// \file
/// The law of one contact, written once for one contact and for eight (included by shock.h with
/// REAL and NAME defined, hence no include guard). Both do the same operations in the same order,
/// so they agree bit for bit.
///
/// theory §1 in impulses: P is the impulse this contact gives body j (and takes from i) in this
/// step; velocities already contain all impulses. With the spin s = r w the contact velocity (U3)
/// is V = v_j - v_i - (s_i + s_j) x n, and the tangential mass (U18) is m_t = m_n / (1 + 1/b) with
/// b = I/(m r^2), for spheres and discs of any size and for walls.

/// May alias: one body is a line of scree_bodies.motion seen as the law wants it.
typedef struct __attribute__((may_alias)) NAME(body) {
  REAL vx, vy, vz, inverse_mass, sx, sy, sz, friction;
} NAME(body);

typedef struct NAME(contact) {
  REAL nx, ny, nz; ///< unit normal from i to j
  REAL px, py, pz; ///< impulse on j
  REAL bias;       ///< g+/dt (or g/dt)
  REAL mass;       ///< m_n (U17); 0: nobody there
} NAME(contact);

/// The impulse (x, y, z) on j, and its opposite on i, at the contact point (U6): both spins change
/// by -(n x P)/(b m).
static inline void NAME(push)(NAME(body) * a, NAME(body) * b, const NAME(contact) * c, REAL x,
                              REAL y, REAL z, const scree_shock_constants *k) {
  const REAL wa = a->inverse_mass, wb = b->inverse_mass;
  a->vx -= wa * x;
  a->vy -= wa * y;
  a->vz -= wa * z;
  b->vx += wb * x;
  b->vy += wb * y;
  b->vz += wb * z;
  const REAL tx = c->ny * z - c->nz * y, ty = c->nz * x - c->nx * z, tz = c->nx * y - c->ny * x;
  const REAL fa = wa * k->spin_factor, fb = wb * k->spin_factor;
  a->sx -= fa * tx;
  a->sy -= fa * ty;
  a->sz -= fa * tz;
  b->sx -= fb * tx;
  b->sy -= fb * ty;
  b->sz -= fb * tz;
}

/// One update: c->p and the velocities of `a` (i) and `b` (j) change. Returns the change of the
/// impulse, squared.
static inline REAL NAME(shock)(NAME(body) * a, NAME(body) * b, NAME(contact) * c,
                               const scree_shock_constants *k) {
  // contact velocity
  const REAL tx = a->sx + b->sx, ty = a->sy + b->sy, tz = a->sz + b->sz;
  const REAL vx = (b->vx - a->vx) - (ty * c->nz - tz * c->ny);
  const REAL vy = (b->vy - a->vy) - (tz * c->nx - tx * c->nz);
  const REAL vz = (b->vz - a->vz) - (tx * c->ny - ty * c->nx);
  const REAL vn = vx * c->nx + vy * c->ny + vz * c->nz;
  const REAL pn = c->px * c->nx + c->py * c->ny + c->pz * c->nz;

  // normal: just close the gap at the end of the step, never pull
  const REAL qn = NAME(positive)(pn - c->mass * (c->bias + vn));

  // tangential: just stop the sliding, at most with friction
  const REAL mt = c->mass * k->tangential_share;
  REAL qx = (c->px - pn * c->nx) - mt * (vx - vn * c->nx);
  REAL qy = (c->py - pn * c->ny) - mt * (vy - vn * c->ny);
  REAL qz = (c->pz - pn * c->nz) - mt * (vz - vn * c->nz);
  const REAL limit = b->friction * qn;
  const REAL shorten = NAME(shorten)(limit, qx * qx + qy * qy + qz * qz);
  qx = qx * shorten + qn * c->nx;
  qy = qy * shorten + qn * c->ny;
  qz = qz * shorten + qn * c->nz;

  // the difference acts on both bodies
  const REAL dx = qx - c->px, dy = qy - c->py, dz = qz - c->pz;
  c->px = qx;
  c->py = qy;
  c->pz = qz;
  NAME(push)(a, b, c, dx, dy, dz, k);
  return dx * dx + dy * dy + dz * dz;
}
