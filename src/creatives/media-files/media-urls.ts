import { Injectable } from '@nestjs/common';
import { Config, withoutSlash } from '../../config.js';

/** Where the files of media are served: whoever has such a URL may read it, and nobody guesses one. */
@Injectable()
export class MediaUrls {
  private readonly base: string;

  constructor(config: Config) {
    this.base = `${withoutSlash(config.baseUrl)}/media/`;
  }

  /** The URL of a file or poster, as a row names it. */
  of(file: string): string {
    return `${this.base}${file}`;
  }
}
