import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { missing } from '../../common/errors/catalogue.js';
import { Rule } from '../../common/http/params/dto-metadata.js';
import { Example } from '../../common/http/params/example.js';
import { Field, Timestamp } from '../../common/http/params/fields.js';
import { HASHES } from '../audience-users/audience-users.dto.js';
import { hashesOf, usersOf, type People } from '../audience-users/users.readers.js';

/** A person whom campaigns must not reach, by any of the identifiers. */
class DoNotReachUser {
  /** SHA-256 hashes of e-mail addresses, trimmed and in lower case. */
  @ApiProperty(HASHES) email?: string[];
  /** SHA-256 hashes of phone numbers in E.164 format, with the plus sign. */
  @ApiProperty(HASHES) phone_number?: string[];
}

const listUsers = usersOf(['email', 'phone_number']);

const someone = ({ users, emails }: { users?: People; emails?: People }) =>
  users || emails ? undefined : missing('users', 'users or emails must contain at least one person');

/** The parameters of an operation. */
@ApiExtraModels(DoNotReachUser)
@Example({ users: [{ email: ['49e0be2aeccfb51a8dee4c945c8a70a9ac500cf6f5cb08112575f74db9b1470d'] }] })
@Rule(['users', 'emails'], someone)
export class DoNotReachUsers {
  /** The people to add to the list or to remove from it. */
  @Field(
    listUsers,
    { absentIfEmpty: true },
    { type: 'array', minItems: 1, items: { $ref: getSchemaPath(DoNotReachUser), description: 'One person.' } },
  )
  users?: People;
  /** The same as `users` for people known by e-mail address only: the SHA-256 hash of each address. */
  @Field(
    hashesOf('email'),
    { absentIfEmpty: true },
    { type: 'array', minItems: 1, items: { type: 'string', pattern: '^[0-9A-Fa-f]{64}$' } },
  )
  emails?: People;
  /** When campaigns can reach the people again, within 13 months; by default in 13 months. */
  @Timestamp({ absentIfEmpty: true }) expires_at?: string;
}

/** The operations on the users of a list, by `operation_type`. */
export const DO_NOT_REACH_OPERATIONS = { Update: DoNotReachUsers, Delete: DoNotReachUsers };
