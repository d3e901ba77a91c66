import type { Permission } from '../../auth/guards/endpoint-policy.js';
import type { Role } from './roles.js';

/** What some roles on an account may do; each domain says its own. */
export const permission = (name: string, roles: readonly Role[]): Permission => ({ name, roles });

export const allows = (role: Role, { roles }: Permission): boolean => roles.includes(role);
