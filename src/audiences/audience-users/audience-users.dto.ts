import { ApiExtraModels, ApiProperty, getSchemaPath, type ApiPropertyOptions } from '@nestjs/swagger';
import type { BatchSize } from '../../common/batch/takes-batch.js';
import { missing } from '../../common/errors/catalogue.js';
import { Example, Rule } from '../../common/http/params/dto-metadata.js';
import { Field, Timestamp } from '../../common/http/params/fields.js';
import { hashesOf, MAX_IDENTIFIERS, MAX_PLAIN_LENGTH, readUsersOf, type ReadPeople } from './users.readers.js';

export const MAX_OPERATIONS = 2_500;
/** A person with one hash takes 80 bytes and three values. One operation may contain all of them. */
export const UPLOAD_SIZE: BatchSize = {
  bodyLimit: 5_000_000,
  jsonBounds: { depth: 10, values: 250_000, shapes: 5_000, valuesAtOnce: 250_000 },
};

/** The OpenAPI schema of a list of hashes. */
const HASHES: ApiPropertyOptions = {
  type: 'array',
  items: { type: 'string', pattern: '^[0-9A-Fa-f]{64}$' },
  required: false,
};

/** A person, by any of the identifiers. All identifiers of one object belong to one person. */
class AudienceUser {
  /** SHA-256 hashes of e-mail addresses, trimmed and in lower case. */
  @ApiProperty(HASHES) email?: string[];
  /** SHA-256 hashes of advertising ids, in lower case with dashes; Android ids without dashes. */
  @ApiProperty(HASHES) device_id?: string[];
  /** SHA-256 hashes of usernames without the @, in lower case. */
  @ApiProperty(HASHES) handle?: string[];
  /** SHA-256 hashes of user ids. */
  @ApiProperty(HASHES) platform_id?: string[];
  /** SHA-256 hashes of phone numbers in E.164 format, with the plus sign. */
  @ApiProperty(HASHES) phone_number?: string[];
  /** The partner's own ids, unhashed. The server hashes them. */
  @ApiProperty({ type: 'array', items: { type: 'string', minLength: 1, maxLength: MAX_PLAIN_LENGTH }, required: false })
  partner_user_id?: string[];
}

const schemaOf = (user: new () => object): ApiPropertyOptions => ({
  type: 'array',
  minItems: 1,
  items: { $ref: getSchemaPath(user), description: `One person, with at most ${MAX_IDENTIFIERS} identifiers.` },
});

/** The parameters of an operation. */
@ApiExtraModels(AudienceUser)
@Example({
  users: [
    { email: ['49e0be2aeccfb51a8dee4c945c8a70a9ac500cf6f5cb08112575f74db9b1470d'], partner_user_id: ['till-4711'] },
  ],
})
class UpdateAudienceUsers {
  /** The people to add to the audience or to keep in it. */
  @Field(readUsersOf(), {}, schemaOf(AudienceUser)) users: ReadPeople;
  /** When the membership begins; by default now. */
  @Timestamp({ absentIfEmpty: true }) effective_at?: string;
  /** When the membership ends; by default in 13 months. */
  @Timestamp({ absentIfEmpty: true }) expires_at?: string;
}

/** The parameters of a removal. One identifier is enough; the times have no effect. */
@ApiExtraModels(AudienceUser)
@Example({ users: [{ partner_user_id: ['till-4711'] }] })
class DeleteAudienceUsers {
  /** The people to remove from the audience, with all their known identifiers. */
  @Field(readUsersOf(), {}, schemaOf(AudienceUser)) users: ReadPeople;
  /** Accepted and ignored. */
  @Timestamp({ absentIfEmpty: true }) effective_at?: string;
  /** Accepted and ignored. */
  @Timestamp({ absentIfEmpty: true }) expires_at?: string;
}

/** The operations on the users of an audience, by `operation_type`. */
export const USER_OPERATIONS = { Update: UpdateAudienceUsers, Delete: DeleteAudienceUsers };

/** A person whom campaigns must not reach, by any of the identifiers. */
class DoNotReachUser {
  /** SHA-256 hashes of e-mail addresses, trimmed and in lower case. */
  @ApiProperty(HASHES) email?: string[];
  /** SHA-256 hashes of phone numbers in E.164 format, with the plus sign. */
  @ApiProperty(HASHES) phone_number?: string[];
}

const listUsers = readUsersOf(['email', 'phone_number']);

const someone = ({ users, emails }: { users?: ReadPeople; emails?: ReadPeople }) =>
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
  users?: ReadPeople;
  /** The same as `users` for people known by e-mail address only: the SHA-256 hash of each address. */
  @Field(
    hashesOf('email'),
    { absentIfEmpty: true },
    { type: 'array', minItems: 1, items: { type: 'string', pattern: '^[0-9A-Fa-f]{64}$' } },
  )
  emails?: ReadPeople;
  /** When campaigns can reach the people again, within 13 months; by default in 13 months. */
  @Timestamp({ absentIfEmpty: true }) expires_at?: string;
}

/** The operations on the users of a list, by `operation_type`. */
export const DO_NOT_REACH_OPERATIONS = { Update: DoNotReachUsers, Delete: DoNotReachUsers };
