import { Injectable } from '@nestjs/common';

/** Whether this process is on its way out; requests are still answered then, on connections that close after it. */
@Injectable()
export class Lifecycle {
  stopping = false;
}
