import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../../common/clock.js';
import { DatabaseNotifications } from '../../common/db/cache/notifications.js';
import { rows } from '../../common/db/query/rows.js';
import { insertOrIgnore, write } from '../../common/db/query/write.js';
import { Config, ConfigError } from '../../config.js';
import { VaultKey } from './vault-key.entity.js';

const CHANNEL = 'vault-keys';

interface Key {
  id: string;
  sealingKey: Buffer;
  lookupKey: Buffer;
}

const derived = (master: Buffer, purpose: string) => Buffer.from(hkdfSync('sha256', master, 'marquee', purpose, 32));

const keyOf = (master: Buffer): Key => ({
  id: createHmac('sha256', master).update('marquee key id').digest('hex').slice(0, 12),
  sealingKey: derived(master, 'seal'),
  lookupKey: derived(master, 'look-up'),
});

/**
 * Keeps secrets that must be read again: AES-256-GCM under a key derived from the master key, with the key's id beside it,
 * and a keyed hash under a second derived key to find them by.
 */
@Injectable()
export class Vault {
  private readonly keys: Key[];

  constructor(
    config: Config,
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly notifications: DatabaseNotifications,
  ) {
    this.keys = [config.masterKey ?? readOrCreateKey(config.dataDir), ...config.previousMasterKeys].map(keyOf);
  }

  /** Refuses to start when what is stored was sealed under a key that is not at hand. */
  async onModuleInit(): Promise<void> {
    const stored = await rows(this.db.manager, VaultKey).all();
    const missing = stored.filter(({ id }) => !this.keys.some((key) => key.id === id));
    if (missing.length > 0) {
      const ids = missing.map(({ id }) => id).join(', ');
      throw new ConfigError([
        `MASTER_KEY: secrets in this store were sealed under key ${ids}, but the key given is ${this.keys[0].id}`,
      ]);
    }
    // A rotation that strikes our key off learns so that we still seal under it.
    this.notifications.on(
      CHANNEL,
      (ids) => void (ids.split(' ').includes(this.keyId) && this.register().catch(() => undefined)),
    );
    await this.register();
  }

  /** Keys other than ours under which something in this store may be sealed. */
  async otherKeys(): Promise<string[]> {
    const stored = await rows(this.db.manager, VaultKey).isNot('id', this.keyId).all({ by: 'id' });
    return stored.map(({ id }) => id);
  }

  /** Strikes keys off the list of those that a start needs. A process that still seals under one puts it back. */
  async retire(ids: string[]): Promise<void> {
    await rows(this.db.manager, VaultKey).among('id', ids).delete();
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
}

const hashOf = (key: Key, secret: string) => createHmac('sha256', key.lookupKey).update(secret).digest('base64url');

/** Outside production the key is made at the first start and kept beside the data. */
function readOrCreateKey(dataDir: string): Buffer {
  const path = join(dataDir, 'master.key');
  mkdirSync(dataDir, { recursive: true });
  try {
    writeFileSync(path, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  chmodSync(path, 0o600);
  const key = Buffer.from(readFileSync(path, 'utf8').trim(), 'base64');
  if (key.length !== 32) throw new ConfigError([`MASTER_KEY: ${path} does not hold a key of 32 bytes`]);
  return key;
}
