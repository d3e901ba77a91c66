import { ApiExtraModels, ApiProperty, getSchemaPath, type ApiPropertyOptions } from '@nestjs/swagger';
import { Example } from '../../common/http/params/example.js';
import { Field, Timestamp } from '../../common/http/params/fields.js';
import { MAX_PLAIN_LENGTH, MAX_IDENTIFIERS, usersOf, type People } from './users.readers.js';

/** How the document shows a list of hashes. */
export const HASHES: ApiPropertyOptions = {
  type: 'array',
  items: { type: 'string', pattern: '^[0-9A-Fa-f]{64}$' },
  required: false,
};

/** A person, by any of the identifiers: all that one object names are of one person. */
export class AudienceUser {
  /** SHA-256 of addresses, trimmed and in lower case. */
  @ApiProperty(HASHES) email?: string[];
  /** SHA-256 of advertising ids: in lower case with dashes, an Android id without. */
  @ApiProperty(HASHES) device_id?: string[];
  /** SHA-256 of usernames without the @, in lower case. */
  @ApiProperty(HASHES) handle?: string[];
  /** SHA-256 of user ids. */
  @ApiProperty(HASHES) platform_id?: string[];
  /** SHA-256 of numbers in E.164, with the plus sign. */
  @ApiProperty(HASHES) phone_number?: string[];
  /** Ids of your own, as they are; they are hashed here. */
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
export class UpdateAudienceUsers {
  /** Who joins the audience, or stays in it. */
  @Field(usersOf(), {}, schemaOf(AudienceUser)) users: People;
  /** From when on they belong to it; from now on unless given. */
  @Timestamp({ absentIfEmpty: true }) effective_at?: string;
  /** From when on they do not; 13 months from now unless given. */
  @Timestamp({ absentIfEmpty: true }) expires_at?: string;
}

/** The same for those who leave: one identifier is enough, and the times are of no account. */
@ApiExtraModels(AudienceUser)
@Example({ users: [{ partner_user_id: ['till-4711'] }] })
export class DeleteAudienceUsers {
  /** Who leaves the audience, with all that is known of them. */
  @Field(usersOf(), {}, schemaOf(AudienceUser)) users: People;
  /** Taken and not looked at. */
  @Timestamp({ absentIfEmpty: true }) effective_at?: string;
  /** Taken and not looked at. */
  @Timestamp({ absentIfEmpty: true }) expires_at?: string;
}

/** What can be done with the users of an audience, by `operation_type`. */
export const USER_OPERATIONS = { Update: UpdateAudienceUsers, Delete: DeleteAudienceUsers };
