import { Injectable } from '@nestjs/common';
import { Config, withoutSlash } from '../../config/config.js';

/** Public URLs of media files. The unguessable name is the only protection. */
@Injectable()
export class MediaUrls {
  private readonly base: string;

  constructor(config: Config) {
    this.base = `${withoutSlash(config.baseUrl)}/media/`;
  }

  /** Returns the URL of a file or poster by its stored name. */
  of(file: string): string {
    return `${this.base}${file}`;
  }
}
