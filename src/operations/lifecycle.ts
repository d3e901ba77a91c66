import { Injectable } from '@nestjs/common';

/** The state of the process. While it stops, it still answers requests, and closes each connection afterwards. */
@Injectable()
export class Lifecycle {
  stopping = false;
}
