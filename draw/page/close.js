return {
  // What a chart that takes the place of this one begins with.
  state: () => ({ colour: scheme.by, chosen: chosen < 0 ? "" : jobs.id[chosen], times: t0 > first || t1 < last ? [t0, t1] : null }),
  isHeld: () => pressed.size > 0,
  choose: id => choose((jobs.id ?? []).indexOf(id)),
  repaint: () => { label(); showKey(); draw(); },
};
};
