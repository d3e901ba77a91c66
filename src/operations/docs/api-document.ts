import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { existsSync } from 'node:fs';
import { Injectable } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { Clock } from '../../common/clock.js';
import { Config, withoutSlash } from '../../config.js';
import { place } from './servers.js';
import { momentsFrom, withDemoIds } from './examples.js';

/** The package root is three levels up from src, four from dist. */
const FILE = ['../../../openapi.json', '../../../../openapi.json']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find(existsSync);

/** A short unique name: the time. */
const newName = () => Clock.machineMs().toString(36);

/** The OpenAPI document of this release, with the servers of this configuration. Read on first use. */
@Injectable()
export class ApiDocument {
  private text?: string;

  constructor(private readonly config: Config) {}

  /** The document as text; with `demoIds`, its examples use the ids of the demo world. */
  async asText(demoIds?: Record<string, string>): Promise<string> {
    this.text ??= await this.read();
    if (!demoIds) return this.text;
    return withDemoIds(this.text, { ...demoIds, ...momentsFrom(new Date(Clock.machineMs())) }, newName());
  }

  private async read(): Promise<string> {
    if (!FILE) throw new Error('the service has no openapi.json');
    const written = await readFile(FILE, 'utf8');
    const { servers } = JSON.parse(written) as { servers: { url: string }[] };
    // this service also serves what examples link to
    const document = JSON.parse(written.replaceAll(servers[0].url, withoutSlash(this.config.baseUrl))) as OpenAPIObject;
    place(document, this.config);
    return JSON.stringify(document);
  }
}
