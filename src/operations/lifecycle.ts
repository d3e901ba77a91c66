import { Injectable } from '@nestjs/common';

/** Whether this process is stopping. It still answers requests then, and closes each connection afterwards. */
@Injectable()
export class Lifecycle {
  stopping = false;
}
