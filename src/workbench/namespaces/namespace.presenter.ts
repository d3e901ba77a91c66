import { ApiProperty } from '@nestjs/swagger';
import { wireTime } from '../../common/db/postgres/type-parsers.js';
import type { Row } from '../../common/db/query/rows.js';
import { DECIMAL_ID, ID, TIME, Unescaped } from '../../common/http/answers/responses.js';
import { type Config, withoutSlash } from '../../config/config.js';
import type { NamespaceKeys } from './namespace-contents.js';
import type { Namespace } from './namespace.entity.js';

/** A namespace without its secrets. */
export class NamespaceView {
  /** The id of its production account. */
  @ApiProperty({ ...ID, example: '2k0hx5m1q9ztb' }) @Unescaped() account_id: string;
  /** The id of its application. */
  @ApiProperty({ ...DECIMAL_ID, example: '1827099541164160' }) @Unescaped() application_id: string;
  /** When the namespace was created. */
  @ApiProperty({ ...TIME, example: '2026-10-01T08:00:00Z' }) @Unescaped() created_at: string;
  /** When the namespace is deleted. */
  @ApiProperty({ ...TIME, example: '2026-10-01T09:00:00Z' }) @Unescaped() expires_at: string;
  /** The id of the funding instrument of the production account. */
  @ApiProperty({ ...ID, example: '2k0hx5m1q9ztd' }) @Unescaped() funding_instrument_id: string;
  /** The id of the namespace. */
  @ApiProperty({ ...ID, example: '2k0hx5m1q9zta' }) @Unescaped() id: string;
  /** The name of the namespace. */
  @ApiProperty({ example: 'Build 4711' }) name: string;
  /** The id of its sandbox account. */
  @ApiProperty({ ...ID, example: '2k0hx5m1q9ztc' }) @Unescaped() sandbox_account_id: string;
  /** The id of the funding instrument of the sandbox account. */
  @ApiProperty({ ...ID, example: '2k0hx5m1q9zte' }) @Unescaped() sandbox_funding_instrument_id: string;
  /** The id of its user. */
  @ApiProperty({ ...DECIMAL_ID, example: '1827099541164159' }) @Unescaped() user_id: string;
  /** The username of its user. */
  @ApiProperty({ example: 'ns2k0hx5m1q9zta' }) @Unescaped() username: string;
}

/** A new namespace with its secrets, which no other response has. The fields are those of `demo-credentials.json`. */
export class CreatedNamespaceView extends NamespaceView {
  /** The access token of the user for the application. */
  @ApiProperty({ example: '1827099541164159-0aBcDeFgHiJkLmNoPqRsTuVwXyZ0aBcDeFgHiJkL' }) access_token: string;
  /** The secret of the access token. */
  @ApiProperty({ example: '0aBcDeFgHiJkLmNoPqRsTuVwXyZ0aBcDeFgHiJkLmNoPq' }) access_token_secret: string;
  /** The base URL of the advertising endpoints. */
  @ApiProperty({ example: 'http://localhost:3000' }) ads_base_url: string;
  /** The base URL of the sandbox. */
  @ApiProperty({ example: 'http://localhost:3000/sandbox' }) ads_sandbox_base_url: string;
  /** The base URL of all other endpoints. */
  @ApiProperty({ example: 'http://localhost:3000' }) base_url: string;
  /** The consumer key of the application. */
  @ApiProperty({ example: '0aBcDeFgHiJkLmNoPqRsTuVwX' }) consumer_key: string;
  /** The consumer secret of the application. */
  @ApiProperty({ example: '0aBcDeFgHiJkLmNoPqRsTuVwXyZ0aBcDeFgHiJkLmNoPqRsTuV' }) consumer_secret: string;
}

/** Confirms the deletion of a namespace. */
export class NamespaceDeletedView {
  /** Always true. */
  @ApiProperty({ example: true }) deleted: boolean;
}

/** Presents a namespace. */
export const presentNamespace = (namespace: Row<Namespace>): NamespaceView => ({
  account_id: namespace.accountId,
  application_id: namespace.innerApplicationId,
  created_at: wireTime(namespace.createdAt),
  expires_at: wireTime(namespace.expiresAt),
  funding_instrument_id: namespace.fundingInstrumentId,
  id: namespace.id,
  name: namespace.name,
  sandbox_account_id: namespace.sandboxAccountId,
  sandbox_funding_instrument_id: namespace.sandboxFundingInstrumentId,
  user_id: namespace.userId,
  username: namespace.username,
});

/** Presents a new namespace with its secrets. */
export const presentCreatedNamespace = (
  { namespace, keys }: { namespace: Row<Namespace>; keys: NamespaceKeys },
  { baseUrl, adsBaseUrl, adsSandboxBaseUrl }: Pick<Config, 'baseUrl' | 'adsBaseUrl' | 'adsSandboxBaseUrl'>,
): CreatedNamespaceView => ({
  access_token: keys.token.key,
  access_token_secret: keys.token.secret,
  ads_base_url: withoutSlash(adsBaseUrl),
  ads_sandbox_base_url: withoutSlash(adsSandboxBaseUrl),
  base_url: withoutSlash(baseUrl),
  consumer_key: keys.consumer.key,
  consumer_secret: keys.consumer.secret,
  ...presentNamespace(namespace),
});
