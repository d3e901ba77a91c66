import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../common/clock.js';
import { DatabaseNotifications } from '../../common/db/cache/notifications.js';
import { rows } from '../../common/db/query/rows.js';
import { insertOrIgnore, write } from '../../common/db/query/write.js';
import { StartFailure } from '../../common/start-failure.js';
import { Config } from '../../config.js';
import { VaultKey } from './vault-key.entity.js';

const CHANNEL = 'vault-keys';

interface Key {
  id: string;
  sealingKey: Buffer;
  lookupKey: Buffer;
  signingKey: Buffer;
  noiseKey: Buffer;
}

const derived = (master: Buffer, purpose: string) => Buffer.from(hkdfSync('sha256', master, 'marquee', purpose, 32));

const keyOf = (master: Buffer): Key => ({
  id: createHmac('sha256', master).update('marquee key id').digest('hex').slice(0, 12),
  sealingKey: derived(master, 'seal'),
  lookupKey: derived(master, 'look-up'),
  signingKey: derived(master, 'sign'),
  noiseKey: derived(master, 'noise'),
});

/**
 * Keeps secrets that must be read again: AES-256-GCM under a key derived from the master key, with the key's id beside it,
 * and a keyed hash under a second derived key to find them by. A third one signs what is given away and comes back; a fourth
 * one decides noise.
 */
@Injectable()
export class Vault {
  /** Ours first; known once the module is initialised. */
  private keys: Key[] = [];

  constructor(
    private readonly config: Config,
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly notifications: DatabaseNotifications,
  ) {}

  /** Refuses to start, and writes nothing, when what is stored was sealed under a key that is not at hand. */
  async onModuleInit(): Promise<void> {
    const { masterKey, previousMasterKeys, dataDir } = this.config;
    const own = masterKey ?? readKey(dataDir);
    const atHand = [...(own ? [own] : []), ...previousMasterKeys].map(keyOf);
    const stored = await rows(this.db.manager, VaultKey).getMany();
    const missing = stored.map(({ id }) => id).filter((id) => !atHand.some((key) => key.id === id));
    if (missing.length > 0)
      throw new StartFailure(own ? wrongKey(missing, keyOf(own), this.config) : lostKey(missing, dataDir));
    this.keys = own ? atHand : [keyOf(createKey(dataDir)), ...atHand];
    // A rotation that strikes our key off learns so that we still seal under it.
    this.notifications.on(
      CHANNEL,
      (ids) => void (ids.split(' ').includes(this.keyId) && this.register().catch(() => undefined)),
    );
    await this.register();
  }

  /** Keys other than ours under which something in this store may be sealed. */
  async otherKeys(): Promise<string[]> {
    const stored = await rows(this.db.manager, VaultKey).whereDistinctFrom('id', this.keyId).orderBy('id').getMany();
    return stored.map(({ id }) => id);
  }

  /** Strikes keys off the list of those that a start needs. A process that still seals under one puts it back. */
  async retire(ids: string[]): Promise<void> {
    await rows(this.db.manager, VaultKey).whereIn('id', ids).delete();
    await this.notifications.publish(this.db.manager, CHANNEL, ids.join(' '));
  }

  private async register(): Promise<void> {
    await write(this.db.manager, [
      insertOrIgnore(VaultKey, [{ id: this.keyId, createdAt: this.clock.now().toISOString() }]),
    ]);
  }

  /** The id of the key that seals now. */
  get keyId(): string {
    return this.keys[0].id;
  }

  seal(secret: string): string {
    const { id, sealingKey: sealing } = this.keys[0];
    const iv = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', sealing, iv);
    const sealed = Buffer.concat([iv, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return `${id}.${sealed.toString('base64url')}`;
  }

  open(sealed: string): string {
    const [id, text] = sealed.split('.');
    const key = this.keys.find((each) => each.id === id);
    if (!key) throw new Error(`a secret was sealed under key ${id}, which is not at hand`);
    const bytes = Buffer.from(text, 'base64url');
    const decipher = createDecipheriv('aes-256-gcm', key.sealingKey, bytes.subarray(0, 12));
    decipher.setAuthTag(bytes.subarray(-16));
    return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]).toString('utf8');
  }

  /** The hash under which a secret stored now is found. */
  lookup(secret: string): string {
    return hashOf(this.keys[0], secret);
  }

  /** The hashes under which it may be found, the newest key's first. */
  lookups(secret: string): string[] {
    return this.keys.map((key) => hashOf(key, secret));
  }

  /** 32 bytes that are always the same for this text under the key of now, and that nobody without it can predict. */
  pseudorandom(text: string): Buffer {
    return createHmac('sha256', this.keys[0].noiseKey).update(text).digest();
  }

  /** What proves that a text given away for this purpose was ours; one signed for another purpose proves nothing here. */
  sign(purpose: string, text: string): string {
    return signatureOf(this.keys[0], purpose, text);
  }

  /** Whether we signed this text for this purpose, under the key of now or one before it. */
  isSigned(purpose: string, text: string, signature: string): boolean {
    const given = Buffer.from(signature);
    return this.keys
      .map((key) => Buffer.from(signatureOf(key, purpose, text)))
      .some((own) => own.length === given.length && timingSafeEqual(own, given));
  }
}

const signatureOf = (key: Key, purpose: string, text: string) =>
  createHmac('sha256', key.signingKey).update(`${purpose}\0${text}`).digest('base64url');

const hashOf = (key: Key, secret: string) => createHmac('sha256', key.lookupKey).update(secret).digest('base64url');

const keyFile = (dataDir: string) => join(dataDir, 'master.key');

/** The key that an earlier start left beside the data; undefined where there is none. */
function readKey(dataDir: string): Buffer | undefined {
  const path = keyFile(dataDir);
  if (!existsSync(path)) return undefined;
  chmodSync(path, 0o600);
  const key = Buffer.from(readFileSync(path, 'utf8').trim(), 'base64');
  if (key.length === 32) return key;
  throw new StartFailure(`MASTER_KEY: ${path} does not hold a key of 32 bytes; restore that file from a backup.`);
}

/** Outside production the key is made at the first start and kept beside the data. Of several that start at once one makes it. */
function createKey(dataDir: string): Buffer {
  mkdirSync(dataDir, { recursive: true });
  try {
    writeFileSync(keyFile(dataDir), `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return readKey(dataDir)!;
}

const lostKey = (missing: string[], dataDir: string) =>
  `MASTER_KEY: the key ${missing.join(', ')} under which the secrets in this store are sealed is lost, for ${keyFile(dataDir)} is gone; ` +
  'restore that file from a backup, or give the key as MASTER_KEY. Without it no stored secret can be read again, and only an empty store helps.';

const wrongKey = (missing: string[], own: Key, { masterKey, dataDir }: Config) =>
  `MASTER_KEY: secrets in this store were sealed under key ${missing.join(', ')}, but the key ${masterKey ? 'given' : `in ${keyFile(dataDir)}`} ` +
  `is ${own.id}; give the former as MASTER_KEY, or, to change it, in PREVIOUS_MASTER_KEYS and run \`marquee keys rotate\`.`;
