import type { Permission } from '../../auth/guards/endpoint-policy.js';
import { actionNotAllowed } from '../../common/errors/catalogue.js';
import type { Role } from './roles.js';

/** A permission that some roles on an account have; each domain defines its own. */
export const permission = (name: string, roles: readonly Role[]): Permission => ({ name, roles });

/** Throws ACTION_NOT_ALLOWED unless a role has a permission. */
export function requirePermission(role: Role, needed: Permission): void {
  if (!allows(role, needed)) throw actionNotAllowed(`${role} has no permission for ${needed.name}`);
}

export const allows = (role: Role, { roles }: Permission): boolean => roles.includes(role);
