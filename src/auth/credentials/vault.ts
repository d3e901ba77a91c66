import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { DataSource, In, Not } from 'typeorm';
import { Clock } from '../../common/time/clock.js';
import { DatabaseNotifications } from '../../common/db/cache/notifications.js';
import { StartFailure } from '../../common/start-failure.js';
import { Config } from '../../config/config.js';
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
 * Encrypts stored secrets with AES-256-GCM and prefixes the id of the key. A keyed hash finds a secret without decrypting
 * it. Sealing, hashing, signing and noise each use a key of their own, derived from the master key.
 */
@Injectable()
export class Vault {
  /** The current key first; set when the module is initialised. */
  private keys: Key[] = [];

  constructor(
    private readonly config: Config,
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly notifications: DatabaseNotifications,
  ) {}

  /** Throws StartFailure, before anything is written, when a stored secret was sealed with a key that is not configured. */
  async onModuleInit(): Promise<void> {
    const { masterKey, previousMasterKeys, dataDir } = this.config;
    const own = masterKey ?? readKey(dataDir);
    const atHand = [...(own ? [own] : []), ...previousMasterKeys].map(keyOf);
    const stored = await this.db.manager.find(VaultKey);
    const missing = stored.map(({ id }) => id).filter((id) => !atHand.some((key) => key.id === id));
    if (missing.length > 0)
      throw new StartFailure(own ? wrongKey(missing, keyOf(own), this.config) : lostKey(missing, dataDir));
    this.keys = own ? atHand : [keyOf(createKey(dataDir)), ...atHand];
    // When a rotation removes our key from the table, we put it back: this process still seals with it.
    this.notifications.on(
      CHANNEL,
      (ids) => void (ids.split(' ').includes(this.keyId) && this.register().catch(() => undefined)),
    );
    await this.register();
  }

  /** The ids of other keys that may have sealed secrets in this store. */
  async otherKeys(): Promise<string[]> {
    const where = { id: Not(this.keyId) };
    const stored = await this.db.manager.find(VaultKey, { where, order: { id: 'ASC' } });
    return stored.map(({ id }) => id);
  }

  /** Removes keys from the table of keys that a start requires. A process that still seals with one puts it back. */
  async retire(ids: string[]): Promise<void> {
    await this.db.manager.delete(VaultKey, { id: In(ids) });
    await this.notifications.publish(this.db.manager, CHANNEL, ids.join(' '));
  }

  private async register(): Promise<void> {
    const key = { id: this.keyId, createdAt: this.clock.now() };
    await this.db.createQueryBuilder().insert().into(VaultKey).values(key).orIgnore().execute();
  }

  /** The id of the key that seals new secrets. */
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
    if (!key) throw new Error(`a secret is sealed under key ${id}, which is not configured`);
    const bytes = Buffer.from(text, 'base64url');
    const decipher = createDecipheriv('aes-256-gcm', key.sealingKey, bytes.subarray(0, 12));
    decipher.setAuthTag(bytes.subarray(-16));
    return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]).toString('utf8');
  }

  /** The hash that finds a secret, under the current key. */
  lookup(secret: string): string {
    return hashOf(this.keys[0], secret);
  }

  /** The hashes of a secret under all keys, the current key's first. */
  lookups(secret: string): string[] {
    return this.keys.map((key) => hashOf(key, secret));
  }

  /** 32 bytes that depend only on the text and the current key. Nobody without the key can predict them. */
  pseudorandom(text: string): Buffer {
    return createHmac('sha256', this.keys[0].noiseKey).update(text).digest();
  }

  /** The signature of a text for one purpose. It is not valid for another purpose. */
  sign(purpose: string, text: string): string {
    return signatureOf(this.keys[0], purpose, text);
  }

  /** True if `sign` returned this signature, under the current key or a previous one. */
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

/** The key in the data directory, written by an earlier start; undefined where there is none. */
function readKey(dataDir: string): Buffer | undefined {
  const path = keyFile(dataDir);
  if (!existsSync(path)) return undefined;
  chmodSync(path, 0o600);
  const key = Buffer.from(readFileSync(path, 'utf8').trim(), 'base64');
  if (key.length === 32) return key;
  throw new StartFailure(`MASTER_KEY: ${path} does not contain a key of 32 bytes; restore that file from a backup.`);
}

/**
 * Creates the key in the data directory, at the first start outside production. Of several processes that start together,
 * one creates it and the others read it.
 */
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
  `MASTER_KEY: the key ${missing.join(', ')} that seals the secrets in this store is lost, because ${keyFile(dataDir)} does not exist; ` +
  'restore that file from a backup, or set MASTER_KEY to the key. Without it, nobody can read the stored secrets, and only an empty store can start.';

const wrongKey = (missing: string[], own: Key, { masterKey, dataDir }: Config) =>
  `MASTER_KEY: secrets in this store are sealed under key ${missing.join(', ')}, but the key ${masterKey ? 'given' : `in ${keyFile(dataDir)}`} ` +
  `is ${own.id}. Set MASTER_KEY to the first key. To change the key, add the first key to PREVIOUS_MASTER_KEYS and run \`marquee keys rotate\`.`;
