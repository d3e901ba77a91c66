import { readFile } from 'node:fs/promises';
import { Injectable } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { shippedPath } from '../../common/asset.js';
import { documentWithNamesOfX } from './document-names.js';
import { Clock } from '../../common/time/clock.js';
import { Config, withoutSlash } from '../../config/config.js';
import type { Vocabulary } from '../../names/vocabulary.js';
import { addServers } from './introduction.js';
import { momentsFrom, withDemoIds } from './examples.js';

const FILE = shippedPath('openapi.json');

/** The time for which visitors get the same examples with the ids of the demo world. */
const SHARED_MS = 1_000;

/** A short unique name: the time. */
const newName = () => Clock.machineMs().toString(36);

/** The OpenAPI document of this release, with the servers of this configuration. Read on first use. */
@Injectable()
export class ApiDocument {
  private readonly texts = new Map<Vocabulary, string>();
  private readonly bytes = new Map<Vocabulary, Buffer>();
  private lastWithIds?: { key: string; madeMs: number; bytes: Buffer };

  constructor(private readonly config: Config) {}

  /** The document in a vocabulary, as text. */
  async asText(names: Vocabulary): Promise<string> {
    const text = this.texts.get(names) ?? (await this.read(names));
    this.texts.set(names, text);
    return text;
  }

  /** The document as bytes that all answers share. With `demoIds`, its examples use the ids of the demo world. */
  async asBytes(names: Vocabulary, demoIds?: Record<string, string>): Promise<Buffer> {
    if (demoIds) return this.withIds(names, demoIds);
    const bytes = this.bytes.get(names) ?? Buffer.from(await this.asText(names));
    this.bytes.set(names, bytes);
    return bytes;
  }

  /** Visitors who come within a second share a document. The next ones get other names and times in its examples. */
  private async withIds(names: Vocabulary, demoIds: Record<string, string>): Promise<Buffer> {
    const text = await this.asText(names);
    const now = Clock.machineMs();
    const key = JSON.stringify([names, demoIds]);
    const last = this.lastWithIds;
    if (last?.key === key && now < last.madeMs + SHARED_MS) return last.bytes;
    const bytes = Buffer.from(withDemoIds(text, { ...demoIds, ...momentsFrom(new Date(now)) }, newName()));
    this.lastWithIds = { key, madeMs: Clock.machineMs(), bytes };
    return bytes;
  }

  private async read(names: Vocabulary): Promise<string> {
    if (!FILE) throw new Error('the service has no openapi.json');
    const written = await readFile(FILE, 'utf8');
    const { servers } = JSON.parse(written) as { servers: { url: string }[] };
    // this service also serves what examples link to
    const document = JSON.parse(written.replaceAll(servers[0].url, withoutSlash(this.config.baseUrl))) as OpenAPIObject;
    addServers(document, this.config);
    return JSON.stringify(names === 'x' ? documentWithNamesOfX(document) : document);
  }
}
