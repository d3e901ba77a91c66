import type { Permission } from '../../auth/guards/endpoint-policy.js';
import type { Role } from './roles.js';

/** A permission that some roles on an account have; each domain defines its own. */
export const permission = (name: string, roles: readonly Role[]): Permission => ({ name, roles });

export const allows = (role: Role, { roles }: Permission): boolean => roles.includes(role);
