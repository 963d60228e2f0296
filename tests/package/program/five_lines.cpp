#include <scree/scree.h>

#include <iostream>

int main(int, char** argv) {
  scree::Run run = scree::Run::open(argv[1]);
  if (run) run.advance(0.001);
  std::cout << run.particle_count() << " grains at " << run.time() << " s, state " << run.state_hash() << "\n"
            << run.messages();
  return run ? 0 : 1;
}
